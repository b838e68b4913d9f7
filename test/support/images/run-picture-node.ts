import type { z } from "zod";
import type { FileRef } from "../../../src/lib/files/file-ref.ts";
import {
  type ListPlaces,
  NodeInputs,
  type NodeOutputs,
  type RunValue,
} from "../../../src/nodes/define-ports.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { taskContext } from "./task-context.ts";

export interface PictureFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

interface PictureNode {
  readonly params: z.ZodObject;
  run(ctx: TaskContext, inputs: NodeInputs, params: never): NodeOutputs | Promise<NodeOutputs>;
}

/**
 * Runs a node with the real tools; several files at a port are a list, which may lack values of its connections. Returns its
 * outputs and the picture's bytes.
 */
export async function runPictureNode(
  node: PictureNode,
  parameters: Record<string, unknown>,
  ports: Readonly<Record<string, PictureFile | readonly PictureFile[]>>,
  places?: ListPlaces,
) {
  const { context, files } = taskContext();
  const add = (file: PictureFile) => files.add(file.name, file.contentType, file.bytes);
  const inputs = new Map<string, RunValue | readonly RunValue[]>(
    Object.entries(ports).map(([port, given]) => [
      port,
      "bytes" in given ? add(given) : given.map(add),
    ]),
  );
  const outputs = await node.run(
    context,
    new NodeInputs(inputs, places),
    node.params.parse(parameters) as never,
  );
  const image = outputs.get("image") as FileRef;
  return { outputs, image, inputs, bytes: files.get(image) };
}

import { describe, expect, test } from "vitest";
import { sizeToRequest } from "../../../src/providers/picture-size.ts";

const GPT = ["1024x1024", "1536x1024", "1024x1536"];
const SQUARES = ["512x512", "2048x2048", "1024x1024"];

describe("docs/contract/models.md#pictures: the size that a model is asked for", () => {
  test.each<[readonly string[], number, number, string]>([
    [[], 900, 301, "900x301"],
    [GPT, 1024, 1024, "1024x1024"],
    [GPT, 1600, 900, "1536x1024"],
    [GPT, 900, 1600, "1024x1536"],
    [GPT, 64, 64, "1024x1024"],
    // √1.5 is as far from 1 as from 1.5, in logarithms.
    [GPT, 1224, 1000, "1024x1024"],
    [GPT, 1225, 1000, "1536x1024"],
    [SQUARES, 300, 300, "512x512"],
    [SQUARES, 513, 513, "1024x1024"],
    [SQUARES, 600, 400, "1024x1024"],
    [SQUARES, 4096, 4096, "2048x2048"],
    [SQUARES, 1025, 10, "2048x2048"],
    [["100x200", "200x100"], 500, 500, "200x100"],
  ])("of %j for %i × %i", (sizes, width, height, expected) => {
    const size = sizeToRequest(sizes, { width, height });
    expect(`${size.width}x${size.height}`).toBe(expected);
  });
});

import type { MediaPacket, PacketHead } from "../container/media-track.ts";

/** The heads of packets, for containers without tables: the packets are read for their sizes first. */
export async function* headsOf(packets: AsyncIterable<MediaPacket>): AsyncGenerator<PacketHead> {
  for await (const { data, ...head } of packets) {
    yield { ...head, bytes: data.byteLength };
  }
}

const utf8 = new TextEncoder();

export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(text)));
}

/** Lower-case hex of the SHA-256 of the text's UTF-8 bytes. */
export async function sha256Hex(text: string): Promise<string> {
  let hex = "";
  for (const byte of await sha256(text)) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}

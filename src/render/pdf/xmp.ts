import type { PdfOptions } from "./pdf-resources.ts";

const NAMESPACE = "https://edgeloom.invalid/ns/template/1.0/";

/** The XMP packet (ISO 16684-1): what Info says, the origin, and for PDF/X-4 its identification (ISO 15930-7 §6.7). */
export function xmpPacket({ metadata, origin, mode }: PdfOptions, documentId: string): string {
  const { title, author, subject, keywords } = metadata;
  const parts = [
    "<dc:format>application/pdf</dc:format>",
    "<pdf:Producer>Edgeloom</pdf:Producer>",
    title === "" ? "" : `<dc:title>${languages(title)}</dc:title>`,
    author === ""
      ? ""
      : `<dc:creator><rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq></dc:creator>`,
    subject === "" ? "" : `<dc:description>${languages(subject)}</dc:description>`,
    keywords.length === 0 ? "" : `<pdf:Keywords>${escaped(keywords.join(", "))}</pdf:Keywords>`,
    `<svc:template>${escaped(origin.template)}</svc:template>`,
    // Not the number in a draft's ETag: drafts with the same content give the same bytes.
    `<svc:revision>${origin.revision ?? "draft"}</svc:revision>`,
    `<svc:contentHash>${escaped(origin.contentHash)}</svc:contentHash>`,
  ];
  if (mode.kind === "pdfx4") {
    const date = xmpDate(mode.date);
    parts.push(
      "<pdf:Trapped>False</pdf:Trapped>",
      "<pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>",
      `<xmp:CreateDate>${date}</xmp:CreateDate><xmp:ModifyDate>${date}</xmp:ModifyDate><xmp:MetadataDate>${date}</xmp:MetadataDate>`,
      `<xmpMM:DocumentID>uuid:${documentId}</xmpMM:DocumentID>`,
      "<xmpMM:VersionID>1</xmpMM:VersionID><xmpMM:RenditionClass>default</xmpMM:RenditionClass>",
    );
  }
  const namespaces = [
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    'xmlns:pdf="http://ns.adobe.com/pdf/1.3/"',
    `xmlns:svc="${NAMESPACE}"`,
    ...(mode.kind === "pdfx4"
      ? [
          'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
          'xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"',
          'xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/"',
        ]
      : []),
  ];
  return (
    '<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${namespaces.join(" ")}>${parts.join("")}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>'
  );
}

/** To the second, in UTC, as in Info. */
function xmpDate(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function languages(text: string): string {
  return `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(text)}</rdf:li></rdf:Alt>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Characters that XML 1.0 does not have become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\u{fffd}")
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? "");
}

/** Cases of the nodes that run as tasks on pictures, sounds, videos and documents. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { jpegFile, pngFile, samplePicture, webpFile } from "../images/sample-files.ts";
import { wavFile } from "../media/wav-file.ts";
import { joined, noise, silence, sine } from "../media/signals.ts";
import { DUBBING_PORTS } from "./dubbing-documents.ts";
import type { CaseFile, CasePorts, NodeCase } from "./run-case.ts";

const golden = (name: string, type: string): CaseFile => ({
  file: name,
  type,
  bytes: Uint8Array.from(
    readFileSync(fileURLToPath(new URL(`../../golden/media/${name}`, import.meta.url).href)),
  ),
});
const MP4 = golden("h264-aac.mp4", "video/mp4");
const WEBM = golden("vp8-opus.webm", "video/webm");
const M4A = golden("aac.m4a", "audio/mp4");
const FLAC = golden("stereo.flac", "audio/flac");

const RATE = 16_000;

/** A WAV of 16 bits; channels of the same length. */
function wav(name: string, ...channels: readonly Float32Array[]): CaseFile {
  const frames = channels[0]?.length ?? 0;
  const samples = Int16Array.from({ length: frames * channels.length }, (_none, i) =>
    Math.round(32_767 * (channels[i % channels.length]?.[Math.floor(i / channels.length)] ?? 0)),
  );
  const bytes = wavFile({
    samples: new Uint8Array(samples.buffer),
    channels: channels.length,
    rate: RATE,
  });
  return { file: name, type: "audio/wav", bytes };
}

const VOICE = wav(
  "voice.wav",
  joined(sine(RATE, 0.5, 300, -12), silence(RATE, 0.3), sine(RATE, 0.4, 500, -6)),
);
const HISS = wav("hiss.wav", noise(RATE, 0.05, 3), noise(RATE, 0.05, 4));
const LOUD = wav("loud.wav", sine(RATE, 0.6, 440, -0.5));

const picture = samplePicture(60, 40);
const disc = samplePicture(30, 30, true);
const PNG: CaseFile = { file: "a.png", type: "image/png", bytes: pngFile(picture) };
const DISC: CaseFile = { file: "disc.png", type: "image/png", bytes: pngFile(disc) };
const JPEG: CaseFile = { file: "b.jpg", type: "image/jpeg", bytes: jpegFile(picture) };
const WEBP: CaseFile = { file: "c.webp", type: "image/webp", bytes: webpFile(picture) };
const SVG: CaseFile = {
  file: "d.svg",
  type: "image/svg+xml",
  bytes: new TextEncoder().encode(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="#0f0"/></svg>',
  ),
};
const TEXT: CaseFile = {
  file: "a.png",
  type: "image/png",
  bytes: new TextEncoder().encode("This is not a picture."),
};

/** A PDF of one empty page of this width, in points. */
function pdf(width: number): CaseFile {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} 50] >>`,
  ];
  let text = "%PDF-1.7\n";
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${places.join("")}`;
  const bytes = new TextEncoder().encode(
    `${text}${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
  return { file: `${width}.pdf`, type: "application/pdf", bytes };
}

const clip = (cueId: string, start: number, end: number, sound?: CaseFile): CasePorts => ({
  ...(sound !== undefined && { clips: sound }),
  cue_id: cueId,
  start,
  end,
});

const CUES = [
  { start: 0.1, end: 0.3, text: "Früh & spät" },
  { start: 0.2, end: 0.5, text: "two\nlines" },
];

export const TASK_CASES: Readonly<Record<string, readonly NodeCase[]>> = {
  "aggregate/audio_timeline": [
    {
      name: "two clips",
      elements: [clip("b", 1, 2.5, LOUD), clip("a", 0, 0.5, HISS)],
      params: { overlap_policy: "trim_previous" },
    },
    {
      name: "clips that overlap, and a cue without one",
      elements: [clip("a", 0, 1, VOICE), clip("b", 0.5, 1, LOUD), clip("c", 1.5, 2)],
      params: { overlap_policy: "mix", missing_cue_policy: "warn", format: "flac" },
      ports: { timeline_duration: 3 },
    },
    { name: "an overlap fails", elements: [clip("a", 0, 1, VOICE), clip("b", 0.5, 1, LOUD)] },
  ],
  "audio/concat": [
    { name: "a gap", params: { gap_seconds: 0.25 }, ports: { clips: [VOICE, HISS] } },
    { name: "a crossfade", params: { crossfade_ms: 200 }, ports: { clips: [VOICE, LOUD] } },
  ],
  "audio/convert": [
    {
      name: "FLAC at another rate",
      params: { format: "flac", sample_rate: 22_050 },
      ports: { audio: VOICE },
    },
    { name: "MP3", params: { format: "mp3" }, ports: { audio: HISS } },
    { name: "M4A of one channel", params: { format: "m4a", channels: 1 }, ports: { audio: HISS } },
    { name: "Ogg", params: { format: "ogg" }, ports: { audio: LOUD } },
    {
      name: "WAV of 24 bits, from AAC",
      params: { format: "wav", bit_depth: 24 },
      ports: { audio: M4A },
    },
    { name: "a file that is not a sound fails", params: { format: "wav" }, ports: { audio: TEXT } },
  ],
  "audio/duck": [
    { name: "a voice above noise", ports: { foreground: VOICE, background: HISS } },
    {
      name: "a background in a loop",
      params: { profile: "podcast", loop_background: true },
      ports: { foreground: VOICE, background: LOUD },
    },
  ],
  "audio/fit_duration": [
    { name: "shorter", params: { target_duration: 1 }, ports: { audio: VOICE } },
    {
      name: "padded",
      params: { max_speed: 1, min_speed: 1 },
      ports: { audio: LOUD, target_start: 1, target_end: 2 },
    },
    {
      name: "too short fails",
      params: { target_duration: 0.2, on_out_of_range: "fail" },
      ports: { audio: VOICE },
    },
  ],
  "audio/loudness_normalize": [
    { name: "two passes", ports: { audio: VOICE } },
    { name: "one pass", params: { mode: "single_pass", target_lufs: -23 }, ports: { audio: HISS } },
  ],
  "audio/mix": [
    { name: "gains", params: { gains_db: [-6, 3] }, ports: { tracks: [VOICE, HISS] } },
    {
      name: "above full scale, of the shortest",
      params: { length: "shortest" },
      ports: { tracks: [LOUD, LOUD, VOICE] },
    },
  ],
  "audio/quality_report": [
    { name: "a voice", ports: { audio: VOICE } },
    {
      name: "limits that are exceeded",
      params: { target_lufs: -30, max_true_peak_db: -3 },
      ports: { audio: LOUD },
    },
  ],
  "audio/speech_enhance": [
    { name: "a podcast", ports: { audio: VOICE } },
    {
      name: "a network",
      params: { profile: "custom", denoise_technique: "neural" },
      ports: { audio: HISS },
    },
  ],
  "audio/split": [
    {
      name: "WAV",
      params: {
        segments: [
          { start: "0.1", end: "0.35" },
          { start: "0", end: "00:00:01" },
        ],
      },
      ports: { audio: VOICE },
    },
    { name: "AAC", params: { segments: [{ start: "0.05", end: "0.2" }] }, ports: { audio: M4A } },
    { name: "FLAC", params: { segments: [{ start: "0.05", end: "0.2" }] }, ports: { audio: FLAC } },
  ],
  "image/code": [
    { name: "QR", params: { symbology: "qr", size: 200 }, ports: { text: "Hello" } },
    {
      name: "QR with shapes, colors and a logo",
      params: {
        symbology: "qr",
        size: 300,
        module_shape: "dots",
        eye_frame_shape: "circle",
        code_color: "#102040",
        background_color: "transparent",
      },
      ports: { text: "https://example.com/a", logo: SVG },
    },
    { name: "EAN-13", params: { symbology: "ean13", size: 300 }, ports: { text: "590123412345" } },
    { name: "Code 128", params: { symbology: "code128", size: 300 }, ports: { text: "AB-12" } },
    {
      name: "a wrong check digit fails",
      params: { symbology: "ean13" },
      ports: { text: "5901234123450" },
    },
  ],
  "image/compose": [
    {
      name: "layers with sizes and opacity",
      params: {
        placements: [
          { x: 5, y: -4 },
          { x: 20, y: 10, width: 25, opacity: 0.6 },
        ],
      },
      ports: { base: PNG, layers: [DISC, SVG] },
    },
    {
      name: "no picture fails",
      params: { placements: [{}] },
      ports: { base: PNG, layers: [TEXT] },
    },
  ],
  "image/convert": [
    { name: "JPEG to PNG", ports: { image: JPEG } },
    {
      name: "PNG to JPEG on a color",
      params: { format: "jpg", background: "#ff8800" },
      ports: { image: DISC },
    },
    { name: "PNG to WebP", params: { format: "webp", quality: 60 }, ports: { image: DISC } },
    { name: "WebP to PNG", ports: { image: WEBP } },
    { name: "SVG to PNG", ports: { image: SVG } },
    { name: "no picture fails", ports: { image: TEXT } },
  ],
  "image/resize": [
    { name: "smaller", params: { width: 31 }, ports: { image: PNG } },
    {
      name: "larger, within a box",
      params: { width: 90, height: 90, fit: "contain" },
      ports: { image: DISC },
    },
    {
      name: "cut to a box",
      params: { width: 20, height: 20, fit: "cover" },
      ports: { image: JPEG },
    },
  ],
  "output/image": [
    { name: "a file under another name", params: { file_name: "x" }, ports: { image: PNG } },
    { name: "converted", params: { format: "jpg" }, ports: { image: DISC } },
    { name: "encoded again", params: { format: "webp", quality: 40 }, ports: { image: WEBP } },
  ],
  "utility/dubbing_manifest": [
    { name: "two cues", params: { on_fail: "report" }, ports: DUBBING_PORTS },
    {
      name: "a required check is missing, which fails",
      params: { required_check_ids: ["fit"] },
      ports: DUBBING_PORTS,
    },
  ],
  "utility/merge_pdf": [
    {
      name: "two documents",
      params: { file_name: "both.pdf" },
      ports: { documents: [pdf(100), pdf(200)] },
    },
    { name: "no PDF fails", ports: { documents: [TEXT] } },
  ],
  "video/add_subtitles": [
    { name: "MP4 with cues", params: { language: "deu" }, ports: { video: MP4, cues: CUES } },
    {
      name: "WebM with WebVTT",
      params: { sidecar_format: "vtt", offset_seconds: 0.1, default: false },
      ports: { video: WEBM, subtitles: "WEBVTT\n\n00:00.100 --> 00:00.300\nHello\n" },
    },
    { name: "a text that is none fails", ports: { video: MP4, subtitles: "00:00 -> x" } },
  ],
  "video/concat": [
    { name: "MP4 twice", ports: { clips: [MP4, MP4] } },
    { name: "containers that differ, which fails", ports: { clips: [MP4, WEBM] } },
  ],
  "video/extract_audio": [
    { name: "AAC as it is", ports: { video: MP4 } },
    { name: "Opus as FLAC", params: { format: "flac" }, ports: { video: WEBM } },
  ],
  "video/mux_audio": [
    { name: "another sound", params: { offset_seconds: 0.1 }, ports: { video: MP4, audio: VOICE } },
    {
      name: "both sounds, in a loop",
      params: { mode: "mix", loop: true, audio_gain_db: -6 },
      ports: { video: WEBM, audio: LOUD },
    },
  ],
  "video/split": [
    { name: "MP4", params: { segments: [{ start: "0", end: "0.5" }] }, ports: { video: MP4 } },
    { name: "WebM", params: { segments: [{ start: "0", end: "0.4" }] }, ports: { video: WEBM } },
  ],
  "video/thumbnail": [
    { name: "H.264", params: { at: 0.2 }, ports: { video: MP4 } },
    {
      name: "VP8, smaller, as PNG",
      params: { format: "png", width: 32 },
      ports: { video: WEBM, at: 0.1 },
    },
    {
      name: "the last key frame, as WebP",
      params: { format: "webp", mode: "keyframe", at: 0.3 },
      ports: { video: MP4 },
    },
  ],
};

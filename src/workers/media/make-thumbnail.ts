import webpEncoder from "../../images/webp/webp-writer.wasm";
import jpeg from "../../images/jpeg/jpeg.wasm";
import { encodeStripes } from "../../images/encode-stripes.ts";
import pixels from "../../images/pixels/pixels.wasm";
import { resamplePicture } from "../../images/raster/resample-picture.ts";
import { webpWriterBytesMax } from "../../images/conversion-bytes.ts";
import { encodeWebp } from "../../images/webp/webp-encoder.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import pictureDecoders from "../../media/codec/ffmpeg/pictures.wasm";
import type { Picture } from "../../media/codec/ffmpeg/picture-decoder.ts";
import { mediaTooLong, unsupportedParameter } from "../../media/container/media-error.ts";
import { requireVideoTrack } from "../../media/container/open-media.ts";
import { decodePicture } from "../../media/pictures/decode-picture.ts";
import { filmPicture, type Rotation } from "../../media/pictures/film-picture.ts";
import { pixelAspect, shownSize } from "../../media/pictures/shown-size.ts";
import { PICTURE_TYPES } from "../../nodes/define-pictures.ts";
import type { ThumbnailRequest } from "../../nodes/define-video-tools.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { openMovieFile } from "./open-movie.ts";

const SECONDS_MAX = LIMITS.media_duration.value / 1_000;
/** A WebP has at most this many pixels on a side; a height that follows from the width may be larger. */
const SIDE_MAX = LIMITS.resized_side.value;

/** See `VideoTools.thumbnail`. Only the packets that the picture is predicted from are decoded. */
export async function makeThumbnail(
  files: TaskFiles,
  file: FileRef,
  at: number,
  request: ThumbnailRequest,
  signal: AbortSignal,
): Promise<FileRef> {
  if (!(at >= 0 && Number.isFinite(at))) {
    throw new NodeError(
      "SEGMENT_OUT_OF_RANGE",
      `The time of the picture is ${at}; it must be 0 or more, in seconds. Send another time.`,
    );
  }
  const media = await openMovieFile(files, file);
  const track = requireVideoTrack(media);
  await track.prepare();
  if (media.seconds !== null && media.seconds > SECONDS_MAX) {
    throw mediaTooLong(media.seconds, SECONDS_MAX);
  }
  const { rotation = 0, pixelAspect: [x, y] = [1, 1] } = track.picture ?? {};
  const { format, quality, width } = request;
  const name = `thumbnail.${format}`;
  const shown = (picture: Picture) => shownPicture(picture, rotation, { x, y }, width);
  if (format !== "webp") {
    return await decodePicture(
      pictureDecoders,
      track,
      { at, onlyKeys: request.mode === "keyframe" },
      (picture) =>
        files.write(
          name,
          PICTURE_TYPES[format],
          encodeStripes(shown(picture), format, quality, { pixels, jpeg }),
        ),
      signal,
    );
  }
  // libwebp holds the whole picture, so that the decoder's memory goes first.
  const held = await decodePicture(
    pictureDecoders,
    track,
    { at, onlyKeys: request.mode === "keyframe" },
    (picture) => {
      const [luma, blue, red] = picture.planes;
      return Promise.resolve<Picture>({
        ...picture,
        planes: [luma.slice(), blue.slice(), red.slice()],
      });
    },
    signal,
  );
  const picture = shown(held);
  const encoded = await encodeWebp(picture, quality, webpEncoder, webpWriterBytesMax(picture, 0));
  return await files.write(name, PICTURE_TYPES.webp, encoded);
}

function shownPicture(
  picture: Picture,
  rotation: Rotation,
  container: { readonly x: number; readonly y: number },
  width: number | undefined,
) {
  const size = shownSize(picture, pixelAspect(container, picture.pixelAspect), rotation, width);
  if (size.height > SIDE_MAX || size.width > SIDE_MAX) {
    throw unsupportedParameter(
      `has a picture that would be ${size.width} × ${size.height} pixels; at most ${SIDE_MAX} on a side are written. Ask for a smaller width.`,
    );
  }
  return resamplePicture(pixels, filmPicture(picture, rotation), size);
}

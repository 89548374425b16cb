import { fliph, PhotonImage, resize, rotate, SamplingFilter } from '@cf-wasm/photon/node'
import { imageSize } from 'image-size'
import { type Drawn, RefusedFile } from './drawn.ts'

/** A phone's largest usual photo. It takes about 100 MB to decode. */
const MAX_PIXELS = 25_000_000
const MAX_SIDE = 16_000
const TYPES = new Set(['png', 'jpg', 'gif', 'webp'])
const QUALITY = 80

/** How to turn a photo upright, by its EXIF orientation. */
const ORIENTATIONS: Record<number, { isMirrored: boolean; degrees: number }> = {
  2: { isMirrored: true, degrees: 0 },
  3: { isMirrored: false, degrees: 180 },
  4: { isMirrored: true, degrees: 180 },
  5: { isMirrored: true, degrees: 270 },
  6: { isMirrored: false, degrees: 90 },
  7: { isMirrored: true, degrees: 90 },
  8: { isMirrored: false, degrees: 270 },
}

/** Draws a picture upright, on white, no side longer than `side`. The size is read from its header before it is decoded. */
export function drawPicture(content: Uint8Array, side: number): Drawn {
  const orientation = checkHeader(content)
  const decoded = PhotonImage.new_from_byteslice(content)
  // A header can say another size than the data.
  if (decoded.get_width() * decoded.get_height() > MAX_PIXELS) throw new Error('too many pixels')
  return toJpeg(turnUpright(shrink(decoded, side), orientation))
}

/** @param pixels four bytes each: red, green, blue, alpha */
export function drawPixels(pixels: Uint8Array, width: number, height: number): Drawn {
  return toJpeg(new PhotonImage(pixels, width, height))
}

/** Returns the EXIF orientation. */
function checkHeader(content: Uint8Array): number {
  const { width, height, type, orientation = 1 } = readHeader(content)
  if (!TYPES.has(type ?? '')) throw new RefusedFile('not a picture we show')
  if (Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS) throw new RefusedFile('too many pixels')
  return orientation
}

function readHeader(content: Uint8Array): ReturnType<typeof imageSize> {
  try {
    return imageSize(content)
  } catch {
    throw new RefusedFile('not a picture')
  }
}

function shrink(image: PhotonImage, side: number): PhotonImage {
  const [width, height] = [image.get_width(), image.get_height()]
  const scale = side / Math.max(width, height)
  if (scale >= 1) return image
  const small = resize(image, atLeastOne(width * scale), atLeastOne(height * scale), SamplingFilter.Triangle)
  image.free()
  return small
}

function atLeastOne(size: number): number {
  return Math.max(1, Math.round(size))
}

function turnUpright(image: PhotonImage, orientation: number): PhotonImage {
  const turn = ORIENTATIONS[orientation]
  if (turn === undefined) return image
  if (turn.isMirrored) fliph(image)
  if (turn.degrees === 0) return image
  const upright = rotate(image, turn.degrees)
  image.free()
  return upright
}

function toJpeg(image: PhotonImage): Drawn {
  const [width, height] = [image.get_width(), image.get_height()]
  const opaque = new PhotonImage(onWhite(image.get_raw_pixels()), width, height)
  const jpeg = opaque.get_bytes_jpeg(QUALITY)
  image.free()
  opaque.free()
  return { jpeg, width, height, pageCount: 0 }
}

/** JPEG has no transparency, and what is behind it is often black. */
function onWhite(pixels: Uint8Array): Uint8Array {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 255
    if (alpha === 255) continue
    for (let channel = at; channel < at + 3; channel += 1)
      pixels[channel] = Math.round(((pixels[channel] ?? 0) * alpha + 255 * (255 - alpha)) / 255)
    pixels[at + 3] = 255
  }
  return pixels
}

import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps } from '../../platform/time-slices.ts';
import { type Edges, type ImageLimits, overLimits, type Refused } from '../image.ts';
import {
  beginsWith,
  type ContainerFacts,
  type ContainerFormat,
  refused,
} from './container-format.ts';
import { jpegContainer } from './jpeg.ts';
import { pngContainer } from './png.ts';
import { webpContainer } from './webp.ts';

export const CONTAINERS: Readonly<Record<OutputFormat, ContainerFormat>> = {
  png: pngContainer,
  jpeg: jpegContainer,
  webp: webpContainer,
};

export type CheckedContainer =
  | { readonly ok: true; readonly format: OutputFormat; readonly facts: ContainerFacts }
  | Refused;

/** Checks the format of an image, the limits, and the container to its last byte. Does not decode pixels. Never throws. */
export function* checkContainer(bytes: Buffer, limits: ImageLimits): Steps<CheckedContainer> {
  if (bytes.length > limits.max_encoded_bytes) return refused('too_many_bytes');
  const format = sniff(bytes);
  if (format === undefined) return refused('unsupported_format');
  const container = yield* CONTAINERS[format].check(bytes);
  if (!container.ok) return container;
  const { facts } = container;
  const fault = overLimits({ ...facts, bytes: bytes.length }, limits);
  return fault === undefined ? { ok: true, format, facts } : refused(fault);
}

/**
 * Returns the dimensions in the header of an image, in pixels, before the EXIF rotation. Checks nothing else. Returns undefined
 * if the header is not readable; such an image is never decoded.
 */
export function headerEdges(bytes: Buffer): Edges | undefined {
  const format = sniff(bytes);
  return format && CONTAINERS[format].headerEdges(bytes);
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** Returns the format of a file according to its first bytes, or undefined if the format is not PNG, JPEG or WebP. */
export function sniff(bytes: Buffer): OutputFormat | undefined {
  if (beginsWith(bytes, PNG)) return 'png';
  if (beginsWith(bytes, JPEG)) return 'jpeg';
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
    ? 'webp'
    : undefined;
}

import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { ImageFault, ImageLimits } from '../image.ts';
import { checkJpeg } from '../jpeg/jpeg-container.ts';
import { overLimits } from '../over-limits.ts';
import { checkPng } from '../png/png-container.ts';
import { checkWebp } from '../webp/webp-container.ts';
import { type ContainerFacts, type ContainerVerdict, refused } from './container-facts.ts';
import { sniff } from './sniff.ts';

export type CheckedContainer =
  | { readonly ok: true; readonly format: OutputFormat; readonly facts: ContainerFacts }
  | { readonly ok: false; readonly fault: ImageFault };

const CHECKS: Readonly<Record<OutputFormat, (bytes: Buffer) => Steps<ContainerVerdict>>> = {
  png: checkPng,
  jpeg: checkJpeg,
  webp: checkWebp,
};

/** Checks without a decoder: the format, the container to the last byte, the limits. Never throws. */
export function* checkContainer(bytes: Buffer, limits: ImageLimits): Steps<CheckedContainer> {
  if (bytes.length > limits.max_encoded_bytes) return refused('too_many_bytes');
  const format = sniff(bytes);
  if (format === undefined) return refused('unsupported_format');
  const container = yield* CHECKS[format](bytes);
  if (!container.ok) return container;
  const { facts } = container;
  const fault = overLimits({ ...facts, bytes: bytes.length }, limits);
  return fault === undefined ? { ok: true, format, facts } : refused(fault);
}

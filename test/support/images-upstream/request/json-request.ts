import * as v from 'valibot';
import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from './fields.ts';
import type { ImageCall } from './image-call.ts';

/** Checks the members of a JSON request. Throws `Refusal` if a member is unknown, missing or wrong. */
export function checkMembers<Schema extends v.GenericSchema>(
  schema: Schema,
  { values }: Fields,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, values);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const param = v.getDotPath(issue) ?? undefined;
  const isUnknown = issue.type === 'strict_object' && issue.expected === 'never';
  throw new Refusal({
    status: 400,
    code: isUnknown ? 'unknown_parameter' : 'invalid_value',
    message: 'a member is wrong',
    param,
  });
}

const AREAS: Readonly<Record<string, number>> = { '1k': 1024, '2k': 2048, '4k': 4096 };

/** Returns edges with this ratio and the area of this resolution, in steps of 16 pixels. */
export function edgesOf(ratio: string | undefined, resolution = '1k') {
  const [across = 1, down = 1] = (/^[\d.]+:[\d.]+$/.test(ratio ?? '') ? (ratio ?? '') : '1:1')
    .split(':')
    .map(Number);
  const edge = AREAS[resolution.toLowerCase()] ?? 1024;
  const toEdge = (share: number) => Math.max(16, Math.round((edge * share) / 16) * 16);
  return { width: toEdge(Math.sqrt(across / down)), height: toEdge(Math.sqrt(down / across)) };
}

/** The facts of a call that the JSON dialects have in common. */
export const PLAIN_CALL = {
  n: 1,
  format: 'png',
  background: 'opaque',
  quality: 'auto',
  isStream: false,
  partialImages: 0,
  responseFormat: 'b64_json',
} as const satisfies Partial<ImageCall>;

import type { Job } from '../../api/schemas.ts';
import { recallSettings } from '../../make/recall-settings.ts';

export const LANGUAGES = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The variable of the environment from which code takes the token. The token itself is in no code. */
export const TOKEN_VARIABLE = 'IMAGE_BRIDGE_TOKEN';

/** An image that the job was given; the bridge keeps it as long as the job. */
export interface CodeInput {
  readonly index: number;
  readonly mediaType: string;
  readonly filename: string | undefined;
}

/** What code has to do to send the request of a job once more. */
export interface RequestCode {
  /** Where the bridge is: http://127.0.0.1:8787. */
  readonly bridge: string;
  readonly needsToken: boolean;
  readonly jobId: string;
  /** The request without its images and previews; what has its default is left out. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly images: readonly CodeInput[];
  readonly mask: CodeInput | undefined;
  readonly references: readonly CodeInput[];
}

/** The bridge counts the inputs of a job over its images, then the mask, then the references. */
export function toRequestCode(job: Job, bridge: string, needsToken: boolean): RequestCode {
  const { request } = job;
  const masks = request.mask === null ? [] : [request.mask];
  const inputs = [...request.images, ...masks, ...request.reference_images].map(
    ({ media_type: mediaType, filename }, index) => ({ index, mediaType, filename }),
  );
  const afterImages = request.images.length;
  const afterMask = afterImages + masks.length;
  return {
    bridge,
    needsToken,
    jobId: job.id,
    settings: { operation: request.operation, ...recallSettings(request) },
    images: inputs.slice(0, afterImages),
    mask: inputs.slice(afterImages, afterMask)[0],
    references: inputs.slice(afterMask),
  };
}

/** The inputs of a request by the field that holds them. */
export function inputFields({ images, mask, references }: RequestCode) {
  return [
    { field: 'images', inputs: images, isList: true },
    { field: 'mask', inputs: mask === undefined ? [] : [mask], isList: false },
    { field: 'reference_images', inputs: references, isList: true },
  ].filter(({ inputs }) => inputs.length > 0);
}

/**
 * A value as JSON, in lines. Characters that are not seen, or that change the direction of the text around them, are
 * written as escapes: the code shows what it does.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSEEN, escapeCharacter);
}

/** Controls, joiners and marks of direction (Unicode categories Cc, Cf, Zl, Zp); those of ASCII are escaped by JSON already. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

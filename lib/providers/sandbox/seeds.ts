import { createHash } from 'node:crypto';
import type { ProviderRequest } from '../provider-port.ts';

/** The prompt's seed (hexadecimal): all its images are of one kind. */
export function promptSeed(prompt: string): string {
  return sha256([prompt]);
}

/** One image's seed (hexadecimal), which tells it from the others of the same prompt. */
export function outputSeed({ prompt, negativePrompt }: ProviderRequest, index: number): string {
  return sha256([prompt, negativePrompt ?? null, index]);
}

function sha256(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

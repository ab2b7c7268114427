import { createHash } from 'node:crypto';
import type { ProviderRequest } from '../provider-port.ts';

/** The prompt's seed (hexadecimal), which all its images share. */
export function promptSeed(prompt: string): string {
  return sha256([prompt]);
}

/** One image's seed (hexadecimal), different from those of other images of the same prompt. */
export function outputSeed({ prompt, negativePrompt }: ProviderRequest, index: number): string {
  return sha256([prompt, negativePrompt ?? null, index]);
}

function sha256(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** prompt and negative_prompt together, in UTF-8 (contract.md 1). */
const MAX_BYTES = 12_288;

/** By how many bytes of UTF-8 the prompts exceed what the bridge takes. */
export function bytesOver(settings: {
  readonly prompt?: string | null;
  readonly negative_prompt?: string | null;
}): number {
  const { prompt, negative_prompt: negative } = settings;
  // A character is at most three bytes for each unit of its length: short prompts need no encoding.
  const length = (prompt?.length ?? 0) + (negative?.length ?? 0);
  if (length * 3 <= MAX_BYTES) return 0;
  return new TextEncoder().encode(`${prompt ?? ''}${negative ?? ''}`).length - MAX_BYTES;
}

/** The limit for `prompt` and `negative_prompt` together, in bytes of UTF-8. */
const MAX_BYTES = 12_288;

/** Returns the number of UTF-8 bytes by which the prompts exceed the limit of the bridge. */
export function bytesOver(settings: {
  readonly prompt?: string | null;
  readonly negative_prompt?: string | null;
}): number {
  const { prompt, negative_prompt: negative } = settings;
  // A UTF-16 code unit has at most three bytes in UTF-8, so a short prompt need not be encoded.
  const length = (prompt?.length ?? 0) + (negative?.length ?? 0);
  if (length * 3 <= MAX_BYTES) return 0;
  return new TextEncoder().encode(`${prompt ?? ''}${negative ?? ''}`).length - MAX_BYTES;
}

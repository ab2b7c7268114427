// What a result holds beside its outputs: both parameter sets, normalizations, attempts, usage, timings, or an error.
const RESULT_BYTES = 16_384;
// A delivered image with its revised prompt, or a failure with its suggestions.
const OUTPUT_BYTES = 4096;

/** How many bytes to keep free for the end of a job that asks for this many images. */
export function reservationFor(outputs: number): number {
  return RESULT_BYTES + outputs * OUTPUT_BYTES;
}

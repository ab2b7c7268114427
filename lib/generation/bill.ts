import type { Usage } from '../contract/reply/image-response.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
import type { Charge } from '../usage/charge.ts';
import type { FanOutResult } from './call/fan-out.ts';
import { isPerhapsMade, perhapsMadeOf } from './call/perhaps-made.ts';
import type { GenerationResult } from './generation-result.ts';

export type Bill = ReturnType<typeof createBill>;

/** Counts one operation of so many outputs against its charge. */
export function createBill(charge: Charge, outputs: number) {
  let made: number | undefined;
  return {
    /** Throws `rate_limited`, `overloaded`. */
    reserve: () => charge.reserve(outputs),

    /** To be called when the provider has ended: whatever fails afterwards, the images were made. */
    noteMade({ outputs: finished, failures }: Pick<FanOutResult, 'outputs' | 'failures'>): void {
      made = finished.length + failures.filter(({ error }) => isPerhapsMade(error)).length;
    },

    /** Settles with the work, once it is counted. */
    async settled(work: Promise<GenerationResult>): Promise<GenerationResult> {
      try {
        const result = await work;
        const { provider, data, usage } = result.response;
        const images = data.length;
        const tokens = usage && tokensOf(usage);
        const perhapsMade = made ?? images;
        await charge.settle({ provider, images, failed: outputs - images, perhapsMade, tokens });
        return result;
      } catch (thrown) {
        const error = toBridgeError(thrown);
        const perhapsMade = made ?? perhapsMadeOf(error, outputs);
        const { provider } = error;
        await charge.settle({
          provider,
          images: 0,
          failed: outputs,
          perhapsMade,
          tokens: undefined,
        });
        throw thrown;
      }
    },
  };
}

function tokensOf({ total_tokens, input_tokens, output_tokens }: Usage): number | undefined {
  if (total_tokens !== undefined) return total_tokens;
  if (input_tokens === undefined && output_tokens === undefined) return undefined;
  return (input_tokens ?? 0) + (output_tokens ?? 0);
}

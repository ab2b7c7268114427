import { imageUrlsOf, type ResponsesRequest } from './responses-request.ts';
import type { WireResponse } from './wire-types.ts';

const TEXT_TOKENS = 60;
const TOKENS_OF_AN_INPUT = 300;
const TOKENS_OF_AN_IMAGE = 1056;
const TOKENS_OF_THE_CALL = 40;

/** Returns the token usage of a completed call. It depends only on the number of input images, so that a test can compute it. */
export function tokenUsage(request: ResponsesRequest) {
  const imageTokens = imageUrlsOf(request).length * TOKENS_OF_AN_INPUT;
  const inputTokens = TEXT_TOKENS + imageTokens;
  return {
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: TOKENS_OF_THE_CALL,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + TOKENS_OF_THE_CALL,
    },
    tool_usage: {
      image_gen: {
        input_tokens: inputTokens,
        input_tokens_details: { image_tokens: imageTokens, text_tokens: TEXT_TOKENS },
        output_tokens: TOKENS_OF_AN_IMAGE,
        output_tokens_details: { image_tokens: TOKENS_OF_AN_IMAGE, text_tokens: 0 },
        total_tokens: inputTokens + TOKENS_OF_AN_IMAGE,
      },
    },
  } satisfies Pick<WireResponse, 'usage' | 'tool_usage'>;
}

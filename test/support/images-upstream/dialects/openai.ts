import type { ImageCall } from '../request/image-call.ts';
import { OPENAI_MODELS } from '../request/openai-models.ts';
import { checkOpenAiRequest } from '../request/openai-request.ts';
import { checkAccount, checkBearer } from './check-bearer.ts';
import type { Dialect, Failure } from './dialect.ts';

const TEXT_TOKENS = 60;
const TOKENS_OF_AN_INPUT = 300;
const TOKENS_OF_AN_IMAGE = 1056;
const TOKENS_OF_A_PARTIAL = 100;

/** The API of OpenAI itself. */
export const openai: Dialect = {
  about: "OpenAI's own API",
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate', '/v1/images/edits': 'edit' },
  models: Object.keys(OPENAI_MODELS),
  hasKey: true,

  checkHead(head, account) {
    checkBearer(head, account);
    checkAccount(head, account);
  },
  toCall: (operation, fields) =>
    checkOpenAiRequest(operation, fields, { models: OPENAI_MODELS, defaultModel: 'gpt-image-2' }),
  toErrorBody: openAiError,
  replyMembers: openAiMembers,
  itemMembers: () => ({}),
  replyHeaders: (ids) => ({
    'x-request-id': `req_${ids.newUuid()}`,
    'openai-version': '2020-10-01',
  }),
};

export function openAiError({ message, type, param, code, status, moderation }: Failure): unknown {
  return {
    error: {
      message,
      type: type ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: param ?? null,
      code: code ?? null,
      ...(moderation ? { moderation_details: moderation } : {}),
    },
  };
}

export function openAiMembers(call: ImageCall) {
  const { background, format, quality, width, height } = call;
  return {
    background,
    output_format: format,
    quality,
    size: `${width}x${height}`,
    usage: tokenUsage(call, call.n),
  };
}

/** Returns a usage that depends only on the numbers of images, so that a test can compute it. */
export function tokenUsage({ images, partialImages }: ImageCall, outputs: number) {
  const imageTokens = images.length * TOKENS_OF_AN_INPUT;
  const inputTokens = TEXT_TOKENS + imageTokens;
  const outputTokens = outputs * (TOKENS_OF_AN_IMAGE + partialImages * TOKENS_OF_A_PARTIAL);
  return {
    input_tokens: inputTokens,
    input_tokens_details: { image_tokens: imageTokens, text_tokens: TEXT_TOKENS },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

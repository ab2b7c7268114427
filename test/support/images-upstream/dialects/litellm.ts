import { OPENAI_MODELS } from '../request/openai-models.ts';
import { checkOpenAiRequest } from '../request/openai-request.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';
import { openAiMembers } from './openai.ts';

const NO_TOKENS = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
};

/** Content rejections. The proxy names them only in the message (litellm/exceptions.py). */
const CONTENT_POLICY = ['moderation_blocked', 'content_policy_violation', 'content_filter'];

/**
 * The LiteLLM proxy in front of the OpenAI API: the status as `code`, `None` for missing values, a usage of zeros. Its image
 * streams fail after the image is generated.
 */
export const litellm: Dialect = {
  about: "LiteLLM's proxy in front of OpenAI's API",
  basePath: '/v1',
  routes: {
    '/images/generations': 'generate',
    '/images/edits': 'edit',
    '/v1/images/generations': 'generate',
    '/v1/images/edits': 'edit',
  },
  models: Object.keys(OPENAI_MODELS),
  hasKey: true,

  checkHead: checkBearer,
  toCall: (operation, fields) =>
    checkOpenAiRequest(operation, fields, { models: OPENAI_MODELS, defaultModel: 'gpt-image-2' }),
  failsStreams: true,
  toErrorBody: ({ status, code, message, type, param }) => ({
    error: {
      message: CONTENT_POLICY.includes(code ?? '')
        ? `litellm.BadRequestError: litellm.ContentPolicyViolationError: ${message}`
        : `litellm.BadRequestError: OpenAIException - ${message}`,
      type: type ?? 'None',
      param: param ?? 'None',
      code: String(status),
    },
  }),
  replyMembers: (call) => ({ ...openAiMembers(call), usage: NO_TOKENS }),
  itemMembers: () => ({ revised_prompt: null }),
  replyHeaders: (ids) => ({
    'x-litellm-call-id': ids.newUuid(),
    'x-litellm-response-cost': '4.2e-05',
  }),
};

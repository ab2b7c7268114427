import type { CallField, Dialect } from './dialect.ts';
import { OPENAI } from './openai.ts';

/**
 * LiteLLM's proxy fails when it streams an image, after the model has been charged (`image_endpoints` of the proxy).
 */
const NOT_OF_LITELLM: readonly CallField[] = ['stream', 'partial_images'];

export const LITELLM: Dialect = {
  ...OPENAI,
  displayName: 'LiteLLM',
  fields: OPENAI.fields.filter((field) => !NOT_OF_LITELLM.includes(field)),
  hides500: true,
  namesInMessage: ['ContentPolicyViolationError'],
  hasNameless404: true,
};

import { OPENAI_EXAMPLES, REPLY_EXAMPLES } from './reply-examples.ts';
import { REQUEST_EXAMPLES } from './request-examples.ts';
import type { Examples } from './shared-values.ts';
import { STORED_EXAMPLES } from './stored-examples.ts';

/** The examples in the OpenAPI document. Tests check each example against its schema. */
export const EXAMPLES: Examples = {
  ...REQUEST_EXAMPLES,
  ...REPLY_EXAMPLES,
  ...STORED_EXAMPLES,
  ...OPENAI_EXAMPLES,
};

import { PromptPage, PromptQuery } from '../../lib/contract/resources/job-history.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/prompts: lists the different prompts of the caller, the last used prompt first. */
export const handler = operation<'jobHistory'>()({
  id: 'listPrompts',
  summary: 'List used prompts',
  protection: 'read',
  request: { query: PromptQuery },
  reply: { status: 200, description: 'One page of prompts.', body: PromptPage },
  errors: ['overloaded'],
  handle: async ({ query, context, services }) =>
    ok(await services.jobHistory.prompts(context.scope, query, context.signal())),
});

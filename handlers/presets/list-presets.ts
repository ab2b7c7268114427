import { PresetPage } from '../../lib/contract/resources/preset.ts';
import { PageQuery } from '../../lib/contract/schema/page.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/presets: lists the presets, sorted by name. */
export const handler = operation<'presets'>()({
  id: 'listPresets',
  summary: 'List the presets',
  protection: 'read',
  request: { query: PageQuery },
  reply: { status: 200, description: 'One page of presets.', body: PresetPage },
  errors: [],
  handle: async ({ query, services }) => ok(await services.presets.list(query.limit, query.cursor)),
});

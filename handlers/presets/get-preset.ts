import { Preset, PresetPath } from '../../lib/contract/resources/preset.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/presets/{name}: returns a preset. Throws `not_found`. */
export const handler = operation<'presets'>()({
  id: 'getPreset',
  summary: 'Read a preset',
  protection: 'read',
  request: { path: PresetPath },
  reply: { status: 200, description: 'The stored preset.', body: Preset },
  errors: ['not_found'],
  handle: async ({ path, services }) => ok(await services.presets.find(path.name)),
});

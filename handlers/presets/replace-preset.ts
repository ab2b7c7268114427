import { Preset, PresetPath, PresetReplace } from '../../lib/contract/resources/preset.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** PUT /v1/presets/{name}: replaces the content of a preset, but not its name. Throws `not_found`. */
export const handler = operation<'presets'>()({
  id: 'replacePreset',
  summary: 'Replace a preset',
  protection: 'presets',
  request: { path: PresetPath, body: PresetReplace },
  reply: { status: 200, description: 'The stored preset.', body: Preset },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, body, services }) => ok(await services.presets.replace(path.name, body)),
});

import { PresetPath } from '../../lib/contract/resources/preset.ts';
import { operation } from '../operation.ts';

/** DELETE /v1/presets/{name}: deletes a preset. Throws `not_found`. */
export const handler = operation<'presets'>()({
  id: 'deletePreset',
  summary: 'Delete a preset',
  protection: 'presets',
  request: { path: PresetPath },
  reply: { status: 204, description: 'The preset is deleted.' },
  errors: ['not_found', 'overloaded'],
  async handle({ path, services }) {
    await services.presets.remove(path.name);
    return {};
  },
});

import { IdempotencyHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { Preset, PresetCreate } from '../../lib/contract/resources/preset.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/presets: stores a template under a new name. Throws `preset_exists`, `idempotency_conflict`. */
export const handler = operation<'presets'>()({
  id: 'createPreset',
  summary: 'Create a preset',
  protection: 'presets',
  request: { headers: IdempotencyHeaders, body: PresetCreate },
  reply: {
    status: 201,
    description: 'The stored preset.',
    body: Preset,
    headers: {
      location: 'The URL of the preset.',
      'idempotent-replayed':
        'Present and `true` if an earlier equal request with the key created the preset.',
    },
  },
  errors: ['preset_exists', 'idempotency_conflict', 'overloaded'],
  async handle({ body, context, services }) {
    const { preset, replayed } = await services.presets.create(body, context);
    const location = `/v1/presets/${preset.name}`;
    return ok(preset, { location, ...(replayed ? REPLAYED : {}) });
  },
});

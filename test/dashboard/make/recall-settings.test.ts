import { expect, it } from 'vitest';
import type { Job } from '../../../dashboard/src/api/schemas.ts';
import { recallSettings } from '../../../dashboard/src/make/recall-settings.ts';

const REQUEST: Job['request'] = {
  version: '1',
  operation: 'generate',
  prompt: 'A moon',
  negative_prompt: null,
  images: [],
  mask: null,
  reference_images: [],
  parameters: {
    n: 1,
    size: 'auto',
    aspect_ratio: null,
    resolution: null,
    quality: 'auto',
    output_compression: null,
    background: 'auto',
    moderation: 'auto',
    partial_images: 0,
    failure_policy: 'fail_fast',
    action: 'auto',
    input_fidelity: null,
  },
  output: {
    response_format: 'artifact',
    collision: 'error',
    metadata: 'none',
    transparency: {
      mode: 'auto',
      key_color: null,
      transparent_threshold: 12,
      opaque_threshold: 96,
      despill: true,
    },
  },
  routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
  session: { mode: 'isolated' },
  policies: {
    compatibility: 'strict',
    negative_prompt: 'auto',
    revised_prompt: 'include',
    batch_execution: 'auto',
  },
  timeout_ms: null,
  user: null,
  metadata: {},
};

it('a request with only default values has the prompt as its only setting', () => {
  expect(recallSettings(REQUEST)).toEqual({ prompt: 'A moon' });
});

it('settings that differ from the defaults are kept', () => {
  const { parameters, output, routing } = REQUEST;
  const settings = recallSettings({
    ...REQUEST,
    negative_prompt: 'fog',
    timeout_ms: 5000,
    user: 'anna',
    metadata: { album: 'sea' },
    parameters: { ...parameters, partial_images: 2, n: 4, size: '1024x1024', output_format: 'png' },
    output: {
      ...output,
      directory: 'moons',
      transparency: { ...output.transparency, despill: false },
    },
    routing: { ...routing, provider: 'sandbox', fallbacks: [{ provider: 'gemini' }] },
    session: { mode: 'persistent', key: 'k' },
  });
  expect(settings).toEqual({
    prompt: 'A moon',
    negative_prompt: 'fog',
    timeout_ms: 5000,
    user: 'anna',
    metadata: { album: 'sea' },
    parameters: { n: 4, size: '1024x1024', output_format: 'png' },
    output: { directory: 'moons', transparency: { despill: false } },
    routing: { provider: 'sandbox', fallbacks: [{ provider: 'gemini' }] },
    session: { mode: 'persistent', key: 'k' },
  });
});

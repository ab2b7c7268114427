import { describe, expect, it } from 'vitest';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import { createSandboxRig, sandboxRequest } from './sandbox-rig.ts';

describeProvider('sandbox', async () => {
  const { provider, close } = createSandboxRig();
  return {
    provider,
    close,
    request: (indices) => sandboxRequest({ indices }),
    failing: sandboxRequest({ model: 'sandbox-fail-upstream' }),
    endless: sandboxRequest({ model: 'sandbox-hang' }),
  };
});

describe('createSandboxProvider', () => {
  it('lists every documented model and sandbox-image first', () => {
    const { provider } = createSandboxRig();

    const { models, defaultModel } = provider.describe();

    expect(defaultModel).toBe('sandbox-image');
    expect(models).toEqual([
      'sandbox-image',
      'sandbox-basic',
      'sandbox-fail-authentication',
      'sandbox-fail-permission_denied',
      'sandbox-fail-safety_rejected',
      'sandbox-fail-unsupported_capability',
      'sandbox-fail-rate_limited',
      'sandbox-fail-overloaded',
      'sandbox-fail-timeout',
      'sandbox-fail-upstream',
      'sandbox-fail-protocol',
      'sandbox-flaky',
      'sandbox-slow',
      'sandbox-hang',
    ]);
  });

  it('offers every capability of the contract with sandbox-image', () => {
    const { provider } = createSandboxRig();

    const document = provider.capabilities('sandbox-image');

    expect(document).toMatchObject({
      batching: { mode: 'fan_out', native_count: { min: 1, max: 4 } },
      sizes: { auto: true, arbitrary: true, min_edge: 16, max_edge: 4096 },
      transparent_background: 'native',
      output_formats: ['png', 'jpeg', 'webp'],
      masks: { support: 'native', max_count: 1 },
      partial_images: { min: 0, max: 3 },
    });
  });

  it('offers the capabilities of a plain model with sandbox-basic', () => {
    const { provider } = createSandboxRig();

    const document = provider.capabilities('sandbox-basic');

    expect(document).toMatchObject({
      batching: { mode: 'fan_out', native_count: { min: 1, max: 1 } },
      sizes: { auto: true, arbitrary: false, allowed: ['1024x1024', '1536x1024', '1024x1536'] },
      transparent_background: 'emulated',
      output_formats: ['png'],
      masks: { support: 'unsupported', max_count: 0 },
      partial_images: { min: 0, max: 0 },
    });
  });
});

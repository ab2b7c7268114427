import { describe, expect, it } from 'vitest';
import type { Api } from '../../../../dashboard/src/api/api.ts';
import { createPresets } from '../../../../dashboard/src/make/presets/presets.ts';

const preset = (name: string) => ({ name, template: {}, created: 0, updated: 0 });

describe('createPresets', () => {
  it('discards a read that was overtaken by a later one', async () => {
    const slow = Promise.withResolvers<void>();
    const replies = [slow.promise.then(() => [preset('poster')]), Promise.resolve([])];
    const api = {
      GET: async () => ({ data: { items: await replies.shift() }, response: new Response() }),
      DELETE: async () => ({ response: new Response() }),
    } as unknown as Api;
    const presets = createPresets(api);

    const reading = presets.read();
    await presets.remove('poster');
    slow.resolve();
    await reading;

    expect(presets.list.value).toEqual([]);
  });
});

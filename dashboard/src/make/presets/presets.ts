import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import type { Preset, PresetTemplate } from '../../api/schemas.ts';

/** The presets of the bridge, which all its clients share. */
export function createPresets(api: Api) {
  const list = signal<readonly Preset[] | undefined>(undefined);

  async function readAll(): Promise<readonly Preset[]> {
    const items: Preset[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 100, ...(cursor && { cursor }) };
      const page = await unwrap(api.GET('/v1/presets', { params: { query } }));
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return items;
  }

  return {
    /** In the order of their names; `undefined` until they are known. */
    list: list as ReadonlySignal<readonly Preset[] | undefined>,

    /** Throws ApiError, as all below. */
    async read(): Promise<void> {
      list.value = await readAll();
    },

    /** Throws ApiError with the reason `preset_exists` where the name is taken. */
    async create(name: string, template: PresetTemplate): Promise<void> {
      await unwrap(api.POST('/v1/presets', { body: { name, template } }));
      list.value = await readAll();
    },

    async replace(name: string, template: PresetTemplate): Promise<void> {
      const params = { path: { name } };
      // Its description is kept: the page shows it, but does not change it.
      const description = list.peek()?.find((each) => each.name === name)?.description;
      const body = { template, ...(description !== undefined && { description }) };
      await unwrap(api.PUT('/v1/presets/{name}', { params, body }));
      list.value = await readAll();
    },

    async remove(name: string): Promise<void> {
      await unwrap(api.DELETE('/v1/presets/{name}', { params: { path: { name } } }));
      list.value = await readAll();
    },
  };
}

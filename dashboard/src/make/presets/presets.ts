import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import type { Preset, PresetTemplate } from '../../api/schemas.ts';

/** The presets of the bridge, which all its clients share. */
export function createPresets(api: Api) {
  const list = signal<readonly Preset[] | undefined>(undefined);
  let reads = 0;

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

  /** A reading that another one has overtaken is older than what is known. Throws ApiError. */
  async function read(): Promise<void> {
    reads += 1;
    const own = reads;
    const items = await readAll();
    if (own === reads) list.value = items;
  }

  return {
    /** In the order of their names; `undefined` until they are known. */
    list: list as ReadonlySignal<readonly Preset[] | undefined>,

    read,

    /** Throws ApiError with the reason `preset_exists` where the name is taken. */
    async create(name: string, template: PresetTemplate): Promise<void> {
      await unwrap(api.POST('/v1/presets', { body: { name, template } }));
      await read();
    },

    async replace(name: string, template: PresetTemplate): Promise<void> {
      const params = { path: { name } };
      // Its description is kept: the page shows it, but does not change it.
      const description = list.peek()?.find((each) => each.name === name)?.description;
      const body = { template, ...(description !== undefined && { description }) };
      await unwrap(api.PUT('/v1/presets/{name}', { params, body }));
      await read();
    },

    async remove(name: string): Promise<void> {
      await unwrap(api.DELETE('/v1/presets/{name}', { params: { path: { name } } }));
      await read();
    },
  };
}

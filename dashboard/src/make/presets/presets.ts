import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import type { Preset, PresetTemplate } from '../../api/schemas.ts';
import { nameFor, titleOf } from './preset-names.ts';

/** Reads and changes the presets of the bridge. All clients of the bridge share the presets. */
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

  /** Reads the presets. The result is discarded if a later read has been started. Throws ApiError if a read fails. */
  async function read(): Promise<void> {
    reads += 1;
    const own = reads;
    const items = await readAll();
    if (own === reads) list.value = items;
  }

  return {
    /** The presets, sorted by name. Undefined until the presets have been read. */
    list: list as ReadonlySignal<readonly Preset[] | undefined>,

    read,

    /** Returns the preset with this title, if the page knows one. */
    find: (title: string): Preset | undefined =>
      list.peek()?.find((each) => titleOf(each) === title),

    /** Creates a preset under a free name. Throws ApiError with the reason `preset_exists` if another client takes the name. */
    async create(title: string, template: PresetTemplate): Promise<void> {
      const name = nameFor(title, new Set(list.peek()?.map((each) => each.name)));
      const body = { name, ...(name !== title && { title }), template };
      await unwrap(api.POST('/v1/presets', { body })).finally(read);
    },

    /** Replaces the template of a preset, and keeps its title and its description. */
    async replace({ name, title, description }: Preset, template: PresetTemplate): Promise<void> {
      const params = { path: { name } };
      const body = {
        template,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
      };
      await unwrap(api.PUT('/v1/presets/{name}', { params, body }));
      await read();
    },

    async remove(name: string): Promise<void> {
      await unwrap(api.DELETE('/v1/presets/{name}', { params: { path: { name } } }));
      await read();
    },
  };
}

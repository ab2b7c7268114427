import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { PresetRecord, PresetStore } from '../../presets/preset-store-port.ts';
import { PresetRow } from '../preset-rows.ts';
import type { StoreDatabase } from './database.ts';

const COLUMNS =
  'name, title, description, template, created AS createdSecs, updated AS updatedSecs';

const INSERT = `
  INSERT INTO preset (name, title, description, template, created, updated)
  VALUES (@name, @title, @description, @template, @createdSecs, @updatedSecs)
  ON CONFLICT (name) DO NOTHING`;
const REPLACE = `
  UPDATE preset SET title = @title, description = @description, template = @template, updated = @updatedSecs
  WHERE name = @name RETURNING ${COLUMNS}`;
const REMOVE = 'DELETE FROM preset WHERE name = ?';
const FIND = `SELECT ${COLUMNS} FROM preset WHERE name = ?`;
const LIST = `SELECT ${COLUMNS} FROM preset WHERE name > +? ORDER BY name LIMIT +?`;

const FoundRow = v.optional(PresetRow);
const Rows = v.array(PresetRow);

export function createPresetStore(database: StoreDatabase): PresetStore {
  const insert = database.prepare(INSERT);
  const replace = database.prepare(REPLACE);
  const remove = database.prepare(REMOVE);
  const find = database.prepare(FIND);
  const list = database.prepare(LIST);

  return {
    create: (preset) =>
      database.write(() => {
        if (insert.run(toRow(preset)).changes === 0) {
          throw new BridgeError('preset_exists', 'a preset with this name already exists');
        }
      }),
    replace: (preset) => database.write(() => v.parse(FoundRow, replace.get(toRow(preset)))),
    remove: (name) => database.write(() => remove.run(name).changes === 1),
    find: (name) => database.read(() => v.parse(FoundRow, find.get(name))),
    // Every name sorts after the empty string.
    list: ({ after = '', limit }) =>
      database.read(() => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const rows = v.parse(Rows, list.all(after, limit + 1));
        return { items: rows.slice(0, limit), more: rows.length > limit };
      }),
  };
}

function toRow<T extends Omit<PresetRecord, 'createdSecs'>>(preset: T) {
  const { title = null, description = null, template } = preset;
  return { ...preset, title, description, template: JSON.stringify(template) };
}

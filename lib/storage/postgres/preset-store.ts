import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { PresetRecord, PresetStore } from '../../presets/preset-store-port.ts';
import { PresetRow } from '../preset-rows.ts';
import type { Postgres } from './connection.ts';

const COLUMNS =
  'name, title, description, template, created AS "createdSecs", updated AS "updatedSecs"';

const Rows = v.array(PresetRow);

export function createPresetStore({ schema, read, write }: Postgres): PresetStore {
  const INSERT = `
    INSERT INTO ${schema}.preset (name, title, description, template, updated, created)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING RETURNING name`;
  const REPLACE = `
    UPDATE ${schema}.preset SET title = $2, description = $3, template = $4, updated = $5
    WHERE name = $1 RETURNING ${COLUMNS}`;
  const REMOVE = `DELETE FROM ${schema}.preset WHERE name = $1 RETURNING name`;
  const FIND = `SELECT ${COLUMNS} FROM ${schema}.preset WHERE name = $1`;
  const LIST = `SELECT ${COLUMNS} FROM ${schema}.preset WHERE name > $1 ORDER BY name LIMIT $2`;

  return {
    create: (preset) =>
      write(async ({ rows }) => {
        const created = await rows(INSERT, [...toColumns(preset), preset.createdSecs]);
        if (created.length === 0) {
          throw new BridgeError('preset_exists', 'a preset with this name already exists');
        }
      }),
    replace: (preset) =>
      write(async ({ rows }) => v.parse(Rows, await rows(REPLACE, toColumns(preset)))[0]),
    remove: (name) => write(async ({ rows }) => (await rows(REMOVE, [name])).length === 1),
    find: (name) => read(async ({ rows }) => v.parse(Rows, await rows(FIND, [name]))[0]),
    // Every name sorts after the empty string.
    list: ({ after = '', limit }) =>
      read(async ({ rows }) => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const found = v.parse(Rows, await rows(LIST, [after, limit + 1]));
        return { items: found.slice(0, limit), more: found.length > limit };
      }),
  };
}

function toColumns(preset: Omit<PresetRecord, 'createdSecs'>): readonly unknown[] {
  const { name, title, description, template, updatedSecs } = preset;
  return [name, title, description, JSON.stringify(template), updatedSecs];
}

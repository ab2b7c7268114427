import { describe, expect, test } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { createPresetStore } from '../../../../lib/storage/sqlite/preset-store.ts';
import { describePresetStore } from '../../../contracts/preset-store.ts';
import { SQLITE_FORMS } from '../../../support/sqlite-forms.ts';

const ids = createIds(() => 0);

for (const [label, open] of SQLITE_FORMS) {
  describePresetStore(label, async () => {
    const { stores, close } = await open();
    return { store: stores.presets, close };
  });
}

describe('createPresetStore', () => {
  test.each(['no JSON', '{"operation":"draw"}', '[]'])(
    'a template that was changed to %s is rejected when it is read',
    async (template) => {
      const database = openStateDatabase({ file: IN_MEMORY, ids });
      const store = createPresetStore(database);
      database
        .prepare("INSERT INTO preset (name, template, created, updated) VALUES ('icons', ?, 0, 0)")
        .run(template);

      await expect(store.find('icons')).rejects.toThrow();

      await database.close();
    },
  );
});

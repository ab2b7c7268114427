import * as v from 'valibot';
import { PresetTemplate } from '../contract/resources/preset.ts';
import { withoutNulls } from './rows.ts';

/** Converts a row of the table `preset` to a record. */
export const PresetRow = v.pipe(
  v.object({
    name: v.string(),
    title: v.nullable(v.string()),
    description: v.nullable(v.string()),
    template: v.pipe(v.string(), v.parseJson(), PresetTemplate),
    createdSecs: v.number(),
    updatedSecs: v.number(),
  }),
  v.transform(withoutNulls),
);

import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { ShortText } from '../schema/text.ts';

const MAX_CHARACTERS = 64;
const MAX_PLACE = 999;

/** The id of a group, which the caller chooses. */
export const GroupId = v.pipe(
  ShortText,
  v.regex(
    new RegExp(`^[A-Za-z0-9._-]{1,${MAX_CHARACTERS}}$`),
    coded('invalid_value', `must have 1 to ${MAX_CHARACTERS} of the characters A-Z a-z 0-9 . _ -`),
  ),
);

const Place = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_PLACE));

/** The place of a job in a table of jobs that belong together. */
export const JobGroup = closedObject({
  id: documented(
    GroupId,
    `The id of the group, chosen by the caller: 1 to ${MAX_CHARACTERS} of the characters A-Z a-z 0-9 . _ -`,
  ),
  row: documented(Place, `The row of the job, from 0 to ${MAX_PLACE}.`),
  column: documented(Place, `The column of the job, from 0 to ${MAX_PLACE}.`),
});
export type JobGroup = v.InferOutput<typeof JobGroup>;

import * as v from 'valibot';
import { type ImageJobSummary, JOB_STATUSES } from '../../contract/resources/job.ts';
import { documented } from '../../contract/schema/documented.ts';
import { storableText } from '../../contract/schema/fields.ts';
import { text } from '../../contract/schema/text.ts';
import { textResult, tool } from '../tool.ts';

interface Page {
  readonly items: readonly ImageJobSummary[];
  readonly next_cursor?: string;
}

export const listJobs = tool({
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'The jobs of this caller, newest first, with the ids of their images. Example: {"search": "lighthouse", "limit": 5}',
  input: v.strictObject({
    limit: documented(
      v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 10),
      'How many at most.',
    ),
    status: documented(v.optional(v.picklist(JOB_STATUSES)), 'Only those with this status.'),
    search: documented(
      v.optional(storableText(256)),
      'Only those whose prompt contains this text.',
    ),
    cursor: documented(
      v.optional(text({ maxLength: 1024 })),
      'The cursor at the end of the page before.',
    ),
  }),
  isReadOnly: true,
  async run(query, { api, signal }) {
    const { items, next_cursor } = await api.json<Page>('GET /v1/jobs', { query, signal });
    if (items.length === 0) return textResult('There are no such jobs.');
    const more = next_cursor === undefined ? [] : [`More: call again with cursor ${next_cursor}`];
    return textResult(...items.map(lineOf), ...more);
  },
});

function lineOf({ id, status, prompt, created, artifacts, error_code }: ImageJobSummary): string {
  const images = artifacts.map(({ id: image, width, height }) => `${image} (${width}x${height})`);
  const outcome = images.length > 0 ? `images ${images.join(', ')}` : (error_code ?? 'no images');
  const at = new Date(created * 1000).toISOString();
  return `${id} ${status}, ${at}: ${JSON.stringify(prompt)}; ${outcome}`;
}

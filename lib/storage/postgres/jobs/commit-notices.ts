import type { JobNotice } from '../../../jobs/job-notices-port.ts';

/** A notice that is sent with a commit. */
export type CommitNotice = Exclude<JobNotice, { type: 'advanced' | 'happened' | 'missed' }>;

/**
 * Returns the SQL that sends notices in JSON on the channel of the schema. The server delivers the notices after the commit.
 * `schema` and `notices` are parameters: the quoted name of the schema, and an array of texts.
 */
export function notifySql(schema: string, notices: string): string {
  return `SELECT pg_notify(${channelSql(schema)}, notice) FROM unnest(${notices}::text[]) AS notice`;
}

/** Returns the SQL of the channel. A name of a schema is short enough for a channel, and no other schema has the same name. */
function channelSql(schema: string): string {
  return `trim(both '"' from ${schema}::text)`;
}

/** Returns the parameter `notices` of `notifySql`. */
export function toPayloads(notices: readonly CommitNotice[]): readonly string[] {
  return notices.map((notice) => JSON.stringify(notice));
}

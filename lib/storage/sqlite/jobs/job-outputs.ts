import * as v from 'valibot';
import { GeneratedImage } from '../../../contract/reply/image-response.ts';
import type { PartialResult } from '../../../contract/resources/job.ts';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import type { StateDatabase } from '../database.ts';

const ADD = `
  INSERT INTO job_output (artifact_id, seq, image)
  SELECT @artifactId, seq, @image FROM job
  WHERE seq = @sequence AND status = 'running' AND owner = @owner`;
const LIST_PENDING = `
  SELECT image FROM job_output JOIN artifact ON artifact.id = artifact_id
  WHERE seq = ? AND state = 'pending' ORDER BY image ->> '$.index'`;
const PUBLISH = `
  UPDATE artifact SET state = 'published', owner = NULL
  WHERE state = 'pending' AND id IN (SELECT artifact_id FROM job_output WHERE seq = ?)`;
const REMOVE = 'DELETE FROM job_output WHERE seq = ?';

const Images = v.array(v.pipe(v.string(), v.parseJson(), GeneratedImage));

export function createJobOutputs(database: StateDatabase): Pick<JobStore, 'addOutput'> {
  const add = database.prepare(ADD);
  const { owner } = database;
  return {
    addOutput: (sequence, image) =>
      database.write(() => {
        add.run({ sequence, artifactId: image.id, image: JSON.stringify(image), owner });
      }),
  };
}

/** The noted images of a job, for the transaction that ends it. */
export interface NotedOutputs {
  /** Those whose publications are pending; undefined where there are none. */
  find(sequence: number): PartialResult | undefined;
  /** Makes them artifacts of their scope, whichever process has published them. */
  publish(sequence: number): void;
  /** Forgets all of them. */
  remove(sequence: number): void;
}

export function prepareNotedOutputs(database: StateDatabase): NotedOutputs {
  const listPending = database.prepare(LIST_PENDING).pluck();
  const publish = database.prepare(PUBLISH);
  const remove = database.prepare(REMOVE);
  return {
    find(sequence) {
      const data = v.parse(Images, listPending.all(sequence));
      return data.length === 0 ? undefined : { data };
    },
    publish: (sequence) => void publish.run(sequence),
    remove: (sequence) => void remove.run(sequence),
  };
}

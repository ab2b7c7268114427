import { describe } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { openS3Files } from '../../../../lib/storage/s3/open-s3-files.ts';
import { describeStoredInputFiles } from '../../../contracts/stored-input-files.ts';
import { startFaultyBucket } from '../../../support/faulty-bucket.ts';
import { HAS_S3 } from '../../../support/s3-server.ts';

const outside = { clock: systemClock, ids: createIds(systemClock.nowMs) };

describe.runIf(HAS_S3)('on an S3 server', () => {
  describeStoredInputFiles('a bucket', async () => {
    const bucket = await startFaultyBucket();
    const opened = await openS3Files(bucket.settings, outside);
    return {
      files: opened.storedInputs,
      reopen: () => opened.storedInputs,
      damage: (sha256, content) => bucket.putForeign(`.inputs/${sha256}`, content),
      async close() {
        opened.close();
        await bucket.close();
      },
    };
  });
});

import { describe, expect, it } from 'vitest';
import { asArtifactError } from '../../../../lib/storage/file-system/file-errors.ts';

describe('asArtifactError', () => {
  it.each([
    ['ENOSPC', 'the artifact folder is full', 'artifact_folder_full'],
    ['EFBIG', 'the file is too large for the artifact folder', 'artifact_folder_unusable'],
    ['EROFS', 'the artifact folder is read-only', 'artifact_folder_unusable'],
    ['EIO', 'the artifact folder failed', 'artifact_folder_unusable'],
  ])(
    'the error for %s has a message and a reason without the path',
    async (code, message, reason) => {
      const fault = Object.assign(new Error('/secret/path'), { code });

      await expect(asArtifactError(() => Promise.reject(fault))).rejects.toMatchObject({
        code: 'artifact',
        message,
        details: { reason },
        cause: fault,
      });
    },
  );
});

import { describeArtifactFiles } from '../contracts/artifact-files.ts';
import {
  describeSharedInputFiles,
  describeStoredInputFiles,
} from '../contracts/stored-input-files.ts';
import { createMemoryDisk } from './memory-files.ts';

describeArtifactFiles('memory', async () => {
  const disk = createMemoryDisk();
  return {
    files: disk.artifactFiles,
    putForeign: async (name, content) => disk.putForeign(name, Buffer.from(content)),
    close: async () => {},
  };
});

describeStoredInputFiles('memory', async () => {
  const disk = createMemoryDisk();
  return {
    files: disk.storedInputs,
    reopen: () => disk.storedInputs,
    passTime: () => {},
    damage: async (sha256, content) => disk.damageInput(sha256, content),
    close: async () => {},
  };
});

describeSharedInputFiles('memory', async () => {
  const disk = createMemoryDisk();
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  return {
    files: disk.shareInputs(clock),
    reopen: () => disk.shareInputs(clock),
    passTime(ms = 3_600_000) {
      nowMs += ms;
    },
    damage: async (sha256, content) => disk.damageInput(sha256, content),
    close: async () => {},
  };
});

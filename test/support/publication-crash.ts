import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { PublicationTarget } from '../../lib/artifacts/artifact-names.ts';
import { createArtifactRoot } from '../../lib/artifacts/artifact-root.ts';
import { createPublisher } from '../../lib/artifacts/publisher.ts';
import { ByteParts } from '../../lib/platform/byte-parts.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { openTestStores } from './stores.ts';

/**
 * A program that a test kills: `node publication-crash.js STATE ROOT [BYTES]`. It publishes images of at most BYTES bytes,
 * most of them with a sidecar, commits some and discards some, several at a time, until it is killed. It writes a full stop
 * to standard output for each publication. If a publication fails, it writes the code and the message of the error as JSON
 * and ends.
 */
const [directory = '', root = '', bytes = '400000'] = process.argv.slice(2);

const TARGETS: readonly PublicationTarget[] = [
  { collision: 'error' },
  { filename_prefix: 'prefix', directory: 'deep/er', collision: 'error' },
  { filename: 'loop', collision: 'suffix' },
  { filename: 'loop', directory: 'deep', collision: 'suffix' },
];

const clock = systemClock;
const ids = createIds(clock.nowMs);
const stores = await openTestStores({ clock, ids, directory, root });
const { artifacts: store, artifactFiles: files } = stores;
const artifactRoot = createArtifactRoot({ store, files });
const publisher = createPublisher({ store, files, artifactRoot, ids, clock });
const { signal } = new AbortController();

function image() {
  const noise = randomBytes(Math.ceil((Number(bytes) * randomInt(1, 100)) / 100));
  const sha256 = createHash('sha256').update(noise).digest('hex');
  return {
    image: {
      ...({ bytes: new ByteParts([noise]), format: 'png', alpha: 'none', sha256 } as const),
      width: 1,
      height: 1,
      orientation: 1,
    },
    sidecar: randomInt(3) === 0 ? undefined : Buffer.from(JSON.stringify({ sha256 })),
  };
}

async function publishForEver(): Promise<never> {
  for (;;) {
    const target = TARGETS[randomInt(TARGETS.length)] ?? { collision: 'error' };
    const images = Array.from({ length: randomInt(1, 4) }, image);
    const publications = await publisher.publish('scope', images, target, signal);
    await (randomInt(4) === 0 ? publisher.discard(publications) : publisher.commit(publications));
    process.stdout.write('.');
  }
}

try {
  await Promise.all([publishForEver(), publishForEver(), publishForEver()]);
} catch (error) {
  const { code, message } = Object(error);
  process.stdout.write(JSON.stringify({ code, message }), () => process.exit(1));
}

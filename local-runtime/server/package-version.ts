import { createRequire } from 'node:module';
import * as v from 'valibot';

/** Returns the version of this package. The sources and the compiled program read the same `package.json`. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('#package');
  return v.parse(v.object({ version: v.string() }), manifest).version;
}

import { execFileSync } from 'node:child_process';

/**
 * Compiles the program once before any test: workers and end-to-end tests run the compiled program. With `PREBUILT` the
 * program is taken as it is, in a tree that may be read-only.
 */
export default function setup(): void {
  if (process.env['PREBUILT'] === undefined) {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  }
}

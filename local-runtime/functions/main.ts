/** The entry of every function of `infra/function-platform/template.yaml`, for AWS Lambda. */
import { writeSync } from 'node:fs';
import { createFunctions } from './open-functions.ts';

export const { handler } = createFunctions({
  env: process.env,
  cwd: process.cwd(),
  writeLine: (line) => writeSync(2, line),
});

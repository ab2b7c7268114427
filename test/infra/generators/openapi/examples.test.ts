import { createHash } from 'node:crypto';
import type * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  REPLY_COMPONENTS,
  REQUEST_COMPONENTS,
} from '../../../../infra/generators/openapi/components.ts';
import { ERROR_EXAMPLES } from '../../../../infra/generators/openapi/examples/error-examples.ts';
import { EXAMPLES } from '../../../../infra/generators/openapi/examples/examples.ts';
import {
  IMAGE,
  PNG_BASE64,
  PNG_SHA256,
} from '../../../../infra/generators/openapi/examples/shared-values.ts';
import { componentSchemas } from '../../../../infra/generators/openapi/json-schema.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { toErrorBody, toFlatError } from '../../../../lib/errors/error-body.ts';
import { outputOf, verdictOf } from '../../../lib/contract/verdict-of.ts';
import { createReplyChecker } from '../../../support/reply-checker.ts';

const COMPONENTS: Readonly<Record<string, v.GenericSchema>> = {
  ...REQUEST_COMPONENTS,
  ...REPLY_COMPONENTS,
};
const checker = createReplyChecker({
  components: { schemas: componentSchemas(Object.keys(COMPONENTS)) },
});

const ROWS = Object.entries(EXAMPLES).flatMap(([component, examples]) =>
  Object.entries(examples).map(([name, { value }]) => [component, name, value] as const),
);
const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('EXAMPLES', () => {
  it.each(ROWS)('for %s: the example %s matches its schema', (component, _name, value) => {
    expect(verdictOf(COMPONENTS[component]!, value)).toEqual([]);
    expect(() => checker.checkComponent(component, value)).not.toThrow();
  });

  it.each(ROWS.filter(([component]) => component in REPLY_COMPONENTS))(
    'of %s hold %s as it comes out of its schema',
    (component, _name, value) => {
      expect(outputOf(COMPONENTS[component]!, value)).toEqual(value);
    },
  );

  it.each(['ImageRequest', 'ImageResponse', 'StreamEvent', 'ImageMetadataRecord', 'Diagnostics'])(
    'show %s',
    (component) => {
      expect(EXAMPLES).toHaveProperty(component);
    },
  );

  it('describe their image correctly', () => {
    const bytes = Buffer.from(PNG_BASE64, 'base64');

    expect(bytes).toHaveLength(IMAGE.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(PNG_SHA256);
  });
});

describe('ERROR_EXAMPLES', () => {
  it.each(CODES)('for the code %s become valid error bodies', (code) => {
    const { message, ...options } = ERROR_EXAMPLES[code];
    const error = new BridgeError(code, message, options);

    expect(() => checker.checkComponent('ErrorReply', toErrorBody(error, 'r1'))).not.toThrow();
    expect(() => checker.checkComponent('BridgeError', toFlatError(error))).not.toThrow();
    expect(() =>
      checker.checkComponent('ErrorEvent', { type: 'error', ...toErrorBody(error, 'r1') }),
    ).not.toThrow();
  });
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The declarations of the endpoints in fal's client. The package contains no schemas, only types. */
export const ENDPOINT_TYPES = fileURLToPath(
  new URL('types/endpoints.d.ts', import.meta.resolve('@fal-ai/client')),
);

interface Endpoint {
  readonly name: string;
  /** The type of the input as a JSON schema. The declarations contain no bounds. */
  readonly schema: object;
  /** True if the output has images. */
  readonly makesImages: boolean;
}

/** Returns all endpoints that fal's client declares. */
export function readEndpoints(): readonly Endpoint[] {
  const text = readFileSync(ENDPOINT_TYPES, 'utf8');
  const file = ts.createSourceFile(ENDPOINT_TYPES, text, ts.ScriptTarget.Latest, false);
  const types = new Map(
    file.statements.filter(ts.isTypeAliasDeclaration).map((it) => [it.name.text, it.type]),
  );
  const map = types.get('EndpointTypeMap');
  if (!map || !ts.isTypeLiteralNode(map)) throw new Error('EndpointTypeMap is not declared');
  return map.members.filter(ts.isPropertySignature).flatMap(({ name, type }) => {
    if (!ts.isStringLiteral(name) || !type || !ts.isTypeLiteralNode(type)) return [];
    const output = Object.keys(membersOf(memberType(type, 'output'), types));
    return [
      {
        name: name.text,
        schema: toSchema(memberType(type, 'input'), types),
        makesImages: output.includes('images') || output.includes('image'),
      },
    ];
  });
}

type Types = ReadonlyMap<string, ts.TypeNode>;

function memberType(literal: ts.TypeLiteralNode, name: string): ts.TypeNode {
  const found = literal.members
    .filter(ts.isPropertySignature)
    .find((member) => ts.isIdentifier(member.name) && member.name.text === name);
  if (!found?.type) throw new Error(`${name} is not declared`);
  return found.type;
}

function toSchema(node: ts.TypeNode, types: Types, depth = 0): object {
  if (depth > 6) return {};
  const convert = (inner: ts.TypeNode) => toSchema(inner, types, depth + 1);
  if (ts.isUnionTypeNode(node)) return { anyOf: node.types.map(convert) };
  if (ts.isParenthesizedTypeNode(node)) return convert(node.type);
  if (ts.isArrayTypeNode(node)) return { type: 'array', items: convert(node.elementType) };
  if (ts.isLiteralTypeNode(node)) return literalSchema(node.literal);
  if (ts.isTypeReferenceNode(node)) return referenceSchema(node, convert, types);
  if (node.kind === ts.SyntaxKind.StringKeyword) return { type: 'string' };
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: 'number' };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: 'boolean' };
  if (!ts.isTypeLiteralNode(node)) return {};
  const members = Object.entries(membersOf(node, types));
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, { type }]) => [name, convert(type)])),
    required: members.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
  };
}

function referenceSchema(
  { typeName, typeArguments }: ts.TypeReferenceNode,
  convert: (inner: ts.TypeNode) => object,
  types: Types,
): object {
  const name = ts.isIdentifier(typeName) ? typeName.text : '';
  const [first] = typeArguments ?? [];
  if (name === 'Array' && first) return { type: 'array', items: convert(first) };
  const target = types.get(name);
  return target ? convert(target) : {};
}

function literalSchema(literal: ts.LiteralTypeNode['literal']): object {
  if (ts.isStringLiteral(literal)) return { type: 'string', enum: [literal.text] };
  if (ts.isNumericLiteral(literal)) return { type: 'number', enum: [Number(literal.text)] };
  return {};
}

interface Member {
  readonly type: ts.TypeNode;
  readonly isRequired: boolean;
}

function membersOf(node: ts.TypeNode, types: Types): Readonly<Record<string, Member>> {
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const target = types.get(node.typeName.text);
    return target ? membersOf(target, types) : {};
  }
  if (!ts.isTypeLiteralNode(node)) return {};
  return Object.fromEntries(
    node.members.filter(ts.isPropertySignature).flatMap(({ name, type, questionToken }) => {
      const isNamed = ts.isIdentifier(name) || ts.isStringLiteral(name);
      return isNamed && type ? [[name.text, { type, isRequired: !questionToken }]] : [];
    }),
  );
}

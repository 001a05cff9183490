import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';
import { openApiDocument } from '#server/http/openapi.ts';

const document = JSON.parse(JSON.stringify(openApiDocument()));
const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));

describe('the OpenAPI document', () => {
  it('is 3.1 and has every operation under a name of its own', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(operations).toHaveLength(OPERATIONS.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(OPERATIONS.length);
  });

  it('refers to nothing that is not in it', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ''] of references) {
      const found = pointer.split('/').reduce((inner, key) => inner?.[key], document);
      expect(found, pointer).toBeDefined();
    }
  });

  it('says for every operation who may call it and how it can fail', () => {
    for (const operation of operations) {
      expect(operation.security, operation.operationId).toBeInstanceOf(Array);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '500', '503']));
      for (const { name } of operation.security.map((need: object) => ({ name: Object.keys(need)[0] }))) {
        expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it('describes requests as strict as they are parsed', () => {
    const { TargetCreate } = document.components.schemas;
    expect(TargetCreate.additionalProperties).toBe(false);
    expect(TargetCreate.required).toEqual(['url']);
    expect(TargetCreate.properties.periodSeconds).toMatchObject({ minimum: 10, maximum: 3600, default: 60 });
  });
});

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs an ONNX model on the positions of a safetensors file, by a reader of its own: the first
// position alone and the others together, since the batch is free in size. What the model says of
// itself is looked at as well.
import fs from 'node:fs';
import ort from 'onnxruntime-node';

function readTensor(path, name) {
  const bytes = fs.readFileSync(path);
  const headerBytes = Number(bytes.readBigUInt64LE(0));
  const {shape, data_offsets: [begin, end]} =
    JSON.parse(bytes.subarray(8, 8 + headerBytes).toString())[name];
  const data = bytes.subarray(8 + headerBytes + begin, 8 + headerBytes + end);
  return {shape, data: new Float32Array(new Uint8Array(data).buffer)};
}

function writeTensors(path, tensors) {
  const header = {};
  const parts = [];
  let offset = 0;
  for (const [name, {shape, data}] of Object.entries(tensors)) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    header[name] = {dtype: 'F32', shape, data_offsets: [offset, offset + bytes.length]};
    offset += bytes.length;
    parts.push(bytes);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  fs.writeFileSync(path, Buffer.concat([length, text, ...parts]));
}

function expectNames(found, expected) {
  if (found.join() !== expected.join()) throw new Error(`names ${found}, expected ${expected}`);
}

const [model, input, output] = process.argv.slice(2);
const session = await ort.InferenceSession.create(model, {logSeverityLevel: 3});
expectNames(session.inputNames, ['planes']);
expectNames(session.outputNames, ['policy', 'wdl']);

const {shape: [count, ...sizes], data} = readTensor(input, 'planes');
const each = sizes.reduce((a, b) => a * b);
const policy = [];
const wdl = [];
for (const [first, n] of [[0, 1], [1, count - 1]]) {
  const planes = new ort.Tensor('float32', data.subarray(first * each, (first + n) * each),
                                [n, ...sizes]);
  const outputs = await session.run({planes});
  if (outputs.wdl.dims.join() !== `${n},3`) throw new Error(`wdl has dims ${outputs.wdl.dims}`);
  policy.push(...outputs.policy.data);
  wdl.push(...outputs.wdl.data);
}
writeTensors(output, {
  policy: {shape: [count, policy.length / count], data: Float32Array.from(policy)},
  wdl: {shape: [count, 3], data: Float32Array.from(wdl)},
});

import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP with these files. @param sizeOf the unpacked size that it states */
export function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  sizeOf = (content: Buffer) => content.length,
): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [fileName, content] = [Buffer.from(name), Buffer.from(text)];
    const packed = deflateRawSync(content);
    const about = Buffer.alloc(26);
    // Version, flags (names in UTF-8), method (deflate), time and date.
    for (const [at, value] of [20, 0x800, 8, 0, 0x21].entries()) about.writeUInt16LE(value, 2 * at);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(sizeOf(content), 18);
    about.writeUInt16LE(fileName.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), about, fileName, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), about, place, fileName]));
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06'), end]);
}
